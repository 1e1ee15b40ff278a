/** The package's entry point `heliograph/webhooks`: what a receiver needs. `npm run build` makes JavaScript of it, in `dist/webhooks`. */
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookPayload,
  WebhookVerificationError,
} from './webhook-signature.ts';
