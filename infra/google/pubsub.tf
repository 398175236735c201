# The bucket tells the topic of every object that is finished; what nobody could settle ends in the dead-letter topic.

resource "google_pubsub_topic" "arrivals" {
  name = "${local.name}-arrivals"
}

resource "google_pubsub_topic" "dead_letters" {
  name = "${local.name}-dead-letters"
}

resource "google_pubsub_subscription" "arrivals" {
  name  = "${local.name}-arrivals"
  topic = google_pubsub_topic.arrivals.id

  # Longer than a run: what is in its hands is not handed out again.
  ack_deadline_seconds       = 600
  message_retention_duration = "604800s"

  # Its deliveries are counted only with this policy; a hundred, with the function's back-off, are most of a day.
  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letters.id
    max_delivery_attempts = 100
  }

  expiration_policy {
    ttl = ""
  }
}

resource "google_pubsub_subscription" "dead_letters" {
  name                       = "${local.name}-dead-letters"
  topic                      = google_pubsub_topic.dead_letters.id
  message_retention_duration = "604800s"

  expiration_policy {
    ttl = ""
  }
}

data "google_storage_project_service_account" "storage" {}

resource "google_pubsub_topic_iam_member" "storage_publishes" {
  topic  = google_pubsub_topic.arrivals.id
  role   = "roles/pubsub.publisher"
  member = "serviceAccount:${data.google_storage_project_service_account.storage.email_address}"
}

resource "google_storage_notification" "segments" {
  count              = var.delivery == "pull" ? 1 : 0
  bucket             = var.bucket
  topic              = google_pubsub_topic.arrivals.id
  payload_format     = "JSON_API_V1"
  event_types        = ["OBJECT_FINALIZE"]
  object_name_prefix = var.segments_prefix
  depends_on         = [google_pubsub_topic_iam_member.storage_publishes]
}

# Pub/Sub itself moves what was delivered too often.
data "google_project" "this" {}

locals {
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_pubsub_topic_iam_member" "dead_letters" {
  topic  = google_pubsub_topic.dead_letters.id
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letters" {
  subscription = google_pubsub_subscription.arrivals.id
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}
