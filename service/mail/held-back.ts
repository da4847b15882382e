/** Why a message was withdrawn that a Portal's sender was not allowed to cause any more. */
export const heldBackReason = 'Held back: too much mail was caused through the Portal by this sender, or to this address.';
