package com.example.cache;

/** Why a Deployment is not as it should be, for the status. */
class Problem extends RuntimeException {
  final String reason;
  final boolean retried;

  Problem(String reason, String message, boolean retried) {
    super(message);
    this.reason = reason;
    this.retried = retried;
  }
}
