output "topic" {
  description = "For queues.registrations: redrive and reconcile send to it."
  value       = google_pubsub_topic.arrivals.id
}

output "subscription" {
  description = "What waits to be registered; its oldest unacknowledged message is the lag."
  value       = google_pubsub_subscription.arrivals.id
}

output "dead_letters" {
  description = "Subscription that holds what was given up after 100 deliveries."
  value       = google_pubsub_subscription.dead_letters.id
}

output "service_account" {
  description = "Who the function is: what the catalog has to let in."
  value       = google_service_account.registrar.email
}
