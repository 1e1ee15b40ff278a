/** The entry points `heliograph/webhooks` and `@heliograph/client/webhooks`, for receivers. `npm run build` makes JavaScript of it. */
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookPayload,
  WebhookVerificationError,
} from './webhook-signature.ts';
