/** The most credits that one input can name: an adjustment, a threshold, a cap. */
export const CREDITS_MAX = 1_000_000_000;
