output "topic" {
  description = "Topic for the setting queues.registrations. redrive and reconcile publish to it."
  value       = google_pubsub_topic.arrivals.id
}

output "subscription" {
  description = "Subscription with the notifications that wait. The age of its oldest unacknowledged message is the lag."
  value       = google_pubsub_subscription.arrivals.id
}

output "dead_letters" {
  description = "Subscription with the messages that were given up after 100 deliveries."
  value       = google_pubsub_subscription.dead_letters.id
}

output "service_account" {
  description = "Service account of the function. The catalog and its engines must accept it."
  value       = google_service_account.registrar.email
}
