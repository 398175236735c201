variable "project" {
  description = "ID of the project."
  type        = string
}

variable "region" {
  description = "Region of the function and the scheduler: that of the bucket."
  type        = string
}

variable "stage" {
  description = "Part of every name, so that several deployments share a project."
  type        = string
  default     = "prod"
}

variable "bucket" {
  description = "Existing bucket, with uniform bucket-level access, that the shippers upload to."
  type        = string
}

variable "segments_prefix" {
  description = "What the names of segments begin with, with a slash at its end. Only below it the bucket notifies."
  type        = string
}

variable "tables_bucket" {
  description = "Existing bucket of tables and quarantine, likewise: bucket, unless it is named. With delivery = event it must be another one."
  type        = string
  default     = null
}

variable "tables_prefix" {
  description = "Where tables lie (table_location), with a slash at its end."
  type        = string
}

variable "quarantine_prefix" {
  description = "Where the quarantine lies (quarantine_url), with a slash at its end."
  type        = string
}

variable "config" {
  description = "The configuration: the YAML text of registrar.yaml. Its secrets are references such as $${env:CATALOG_TOKEN}."
  type        = string
}

variable "secrets" {
  description = "Environment variables whose values lie in Secret Manager: name of the variable → ID of the secret."
  type        = map(string)
  default     = {}
}

variable "delivery" {
  description = "pull: a schedule empties the subscription, one commit a table and run. event: each upload calls the function, one commit each."
  type        = string
  default     = "pull"

  validation {
    condition     = contains(["pull", "event"], var.delivery)
    error_message = "delivery must be pull or event."
  }
}

variable "schedule" {
  description = "How often the subscription is emptied (delivery = pull), in cron's notation."
  type        = string
  default     = "* * * * *"
}

variable "memory" {
  description = "Memory of an instance."
  type        = string
  default     = "1Gi"
}

variable "max_instances" {
  description = "Instances at once with delivery = event: each is a writer of the tables. With pull there is one."
  type        = number
  default     = 5
}

locals {
  name          = "iceberg-registrar-${var.stage}"
  tables_bucket = coalesce(var.tables_bucket, var.bucket)
  # Cloud Storage has no filter by suffix: what the registrar writes must not lie where it is told of uploads.
  apart = local.tables_bucket != var.bucket || (
    var.delivery == "pull" &&
    !startswith(var.tables_prefix, var.segments_prefix) &&
    !startswith(var.quarantine_prefix, var.segments_prefix)
  )
}
