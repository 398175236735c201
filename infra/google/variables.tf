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

  # Google allows 30 characters for the ID of a service account, and "registrar-call-" takes half of them.
  validation {
    condition     = can(regex("^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$", var.stage))
    error_message = "stage must be 1 to 15 of a-z, 0-9 and -, without - at its ends."
  }
}

variable "bucket" {
  description = "Existing bucket, with uniform bucket-level access, that the shippers upload to."
  type        = string
}

variable "segments_prefix" {
  description = "Prefix of the segments' object names, with a slash at its end. The bucket notifies only of objects below it."
  type        = string
}

variable "tables_bucket" {
  description = "Existing bucket of tables and quarantine, with uniform bucket-level access; the same as bucket by default. With delivery = event it must be another one."
  type        = string
  default     = null
}

variable "tables_prefix" {
  description = "Prefix of the tables (table_location), with a slash at its end."
  type        = string
}

variable "quarantine_prefix" {
  description = "Prefix of the quarantine (quarantine_url), with a slash at its end."
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
  description = "pull: a schedule empties the subscription, with one commit per table and run. event: each upload calls the function, with one commit per upload."
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
  description = "Most instances at once with delivery = event; each of them commits to the tables. With pull there is one."
  type        = number
  default     = 5
}

locals {
  name          = "iceberg-registrar-${var.stage}"
  tables_bucket = coalesce(var.tables_bucket, var.bucket)
  # Cloud Storage cannot filter notifications by suffix, so the registrar must not write where the bucket notifies.
  apart = local.tables_bucket != var.bucket || (
    var.delivery == "pull" &&
    !startswith(var.tables_prefix, var.segments_prefix) &&
    !startswith(var.quarantine_prefix, var.segments_prefix)
  )
}
