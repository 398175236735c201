# What the function may do: read segments and tables, create objects under new names, and nothing else. An account that may create
# objects but not delete them cannot replace one either.

resource "google_service_account" "registrar" {
  account_id   = "registrar-${var.stage}"
  display_name = "iceberg-registrar ${var.stage}"
}

locals {
  registrar = "serviceAccount:${google_service_account.registrar.email}"
  segments  = "resource.name.startsWith(\"projects/_/buckets/${var.bucket}/objects/${var.segments_prefix}\")"
  own = join(" || ", [
    for prefix in [var.tables_prefix, var.quarantine_prefix] :
    "resource.name.startsWith(\"projects/_/buckets/${local.tables_bucket}/objects/${prefix}\")"
  ])
}

resource "google_project_iam_custom_role" "read_objects" {
  role_id     = replace("icebergRegistrarRead_${var.stage}", "-", "_")
  title       = "Read objects, and nothing else"
  permissions = ["storage.objects.get"]
}

resource "google_project_iam_custom_role" "list_objects" {
  role_id     = replace("icebergRegistrarList_${var.stage}", "-", "_")
  title       = "List the names of objects, and nothing else"
  permissions = ["storage.objects.list"]
}

resource "google_storage_bucket_iam_member" "reads_segments" {
  bucket = var.bucket
  role   = google_project_iam_custom_role.read_objects.id
  member = local.registrar

  condition {
    title      = "segments"
    expression = local.segments
  }
}

resource "google_storage_bucket_iam_member" "reads_own" {
  bucket = local.tables_bucket
  role   = google_project_iam_custom_role.read_objects.id
  member = local.registrar

  condition {
    title      = "tables and quarantine"
    expression = local.own
  }
}

# On the whole bucket, because a condition on object names does not apply to a listing. Without this right, Cloud Storage answers
# that an object is forbidden where it should answer that the object is missing.
resource "google_storage_bucket_iam_member" "lists" {
  for_each = toset([var.bucket, local.tables_bucket])
  bucket   = each.value
  role     = google_project_iam_custom_role.list_objects.id
  member   = local.registrar
}

resource "google_storage_bucket_iam_member" "creates" {
  bucket = local.tables_bucket
  role   = "roles/storage.objectCreator"
  member = local.registrar

  condition {
    title      = "tables and quarantine"
    expression = local.own
  }
}

resource "google_pubsub_subscription_iam_member" "pulls" {
  subscription = google_pubsub_subscription.arrivals.id
  role         = "roles/pubsub.subscriber"
  member       = local.registrar
}

resource "google_secret_manager_secret_iam_member" "reads" {
  for_each  = var.secrets
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  member    = local.registrar
}
