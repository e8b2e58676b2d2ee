"""What this operator sets otherwise than Kopf does by itself: nothing."""
