/**
 * The package's entry point `heliograph/webhooks`: what a receiver of webhooks needs and nothing that signs. `npm run build` makes
 * plain JavaScript of it in `dist/webhooks`, since Node strips no types below `node_modules`.
 */
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookPayload,
  WebhookVerificationError,
} from './webhook-signature.ts';
