# The bucket notifies the topic of every finished object. A message that was delivered a hundred times without success goes to the
# dead-letter topic.

resource "google_pubsub_topic" "arrivals" {
  name = "${local.name}-arrivals"
}

resource "google_pubsub_topic" "dead_letters" {
  name = "${local.name}-dead-letters"
}

resource "google_pubsub_subscription" "arrivals" {
  name  = "${local.name}-arrivals"
  topic = google_pubsub_topic.arrivals.id

  # Longer than a run, so that a message is not delivered again while a run still works on it.
  ack_deadline_seconds       = 600
  message_retention_duration = "604800s"

  # Pub/Sub counts deliveries only with this policy. With the function's back-off, a hundred of them take most of a day.
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

# Pub/Sub's own agent moves messages to the dead-letter topic.
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
