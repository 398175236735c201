# One bundle, two targets: `pull` for the schedule, `register` for Eventarc.

data "archive_file" "bundle" {
  type        = "zip"
  source_dir  = "${path.module}/../../dist/cloud-event"
  output_path = "${path.module}/../../dist/cloud-event.zip"
  excludes    = ["**/*.map"]
}

locals {
  # A bucket's name has at most 63 characters; a project's ID and a stage may have more together.
  code_bucket_name = "${var.project}-${local.name}-code"
  code_bucket = length(local.code_bucket_name) <= 63 ? local.code_bucket_name : (
    "${substr(local.code_bucket_name, 0, 54)}-${substr(sha256(local.code_bucket_name), 0, 8)}"
  )
}

resource "google_storage_bucket" "code" {
  name                        = local.code_bucket
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
}

resource "google_storage_bucket_object" "bundle" {
  name   = "cloud-event-${data.archive_file.bundle.output_sha256}.zip"
  bucket = google_storage_bucket.code.name
  source = data.archive_file.bundle.output_path
}

resource "google_cloudfunctions2_function" "registrar" {
  name     = local.name
  location = var.region

  build_config {
    runtime     = "nodejs24"
    entry_point = var.delivery == "pull" ? "pull" : "register"

    source {
      storage_source {
        bucket = google_storage_bucket.code.name
        object = google_storage_bucket_object.bundle.name
      }
    }
  }

  service_config {
    service_account_email = google_service_account.registrar.email
    # A run ends by itself after 240 s.
    timeout_seconds    = 300
    available_memory   = var.memory
    available_cpu      = "1"
    min_instance_count = 0
    max_instance_count = var.delivery == "pull" ? 1 : var.max_instances
    # One request at a time: several in one instance would race each other for the same commit.
    max_instance_request_concurrency = 1

    environment_variables = {
      REGISTRAR_CONFIG = var.config
    }

    dynamic "secret_environment_variables" {
      for_each = var.secrets

      content {
        key        = secret_environment_variables.key
        project_id = var.project
        secret     = secret_environment_variables.value
        version    = "latest"
      }
    }
  }

  dynamic "event_trigger" {
    for_each = var.delivery == "event" ? ["finalized"] : []

    content {
      event_type            = "google.cloud.storage.object.v1.finalized"
      retry_policy          = "RETRY_POLICY_RETRY"
      service_account_email = google_service_account.caller.email

      event_filters {
        attribute = "bucket"
        value     = var.bucket
      }
    }
  }

  # The secrets are read when the function is created, and the trigger is refused until its events may flow.
  depends_on = [
    google_secret_manager_secret_iam_member.reads,
    google_project_iam_member.receives_events,
    google_project_iam_member.storage_publishes,
  ]

  lifecycle {
    precondition {
      condition     = local.apart
      error_message = "Tables and quarantine must not lie where uploads are notified: name a tables_bucket, or with delivery = pull prefixes that are not below segments_prefix."
    }
  }
}

# Who calls the function: the scheduler, or Eventarc.
resource "google_service_account" "caller" {
  account_id   = "registrar-call-${var.stage}"
  display_name = "calls iceberg-registrar ${var.stage}"
}

resource "google_cloud_run_service_iam_member" "caller" {
  location = var.region
  service  = google_cloudfunctions2_function.registrar.name
  role     = "roles/run.invoker"
  member   = "serviceAccount:${google_service_account.caller.email}"
}

resource "google_project_iam_member" "receives_events" {
  count   = var.delivery == "event" ? 1 : 0
  project = var.project
  role    = "roles/eventarc.eventReceiver"
  member  = "serviceAccount:${google_service_account.caller.email}"
}

# Cloud Storage sends its events to Eventarc through Pub/Sub.
resource "google_project_iam_member" "storage_publishes" {
  count   = var.delivery == "event" ? 1 : 0
  project = var.project
  role    = "roles/pubsub.publisher"
  member  = "serviceAccount:${data.google_storage_project_service_account.storage.email_address}"
}

resource "google_cloud_scheduler_job" "pull" {
  count    = var.delivery == "pull" ? 1 : 0
  name     = "${local.name}-pull"
  region   = var.region
  schedule = var.schedule
  # There is one instance. While it is busy, a call is refused, and the next minute's call takes over.
  attempt_deadline = "320s"

  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = google_cloudfunctions2_function.registrar.service_config[0].uri
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode(jsonencode({ subscription = google_pubsub_subscription.arrivals.id }))

    oidc_token {
      service_account_email = google_service_account.caller.email
      audience              = google_cloudfunctions2_function.registrar.service_config[0].uri
    }
  }
}
