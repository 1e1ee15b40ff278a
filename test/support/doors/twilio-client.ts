/** The published client of Twilio, pointed at a gateway. */
import twilio from 'twilio';
import { toSid } from '../../../src/rest/doors/twilio/caller.ts';

/** A client of an account by one of its tokens. */
export function twilioClient(url: string, accountId: string, token: string) {
  const httpClient = new twilio.RequestClient();
  const request = httpClient.request.bind(httpClient);
  httpClient.request = options => request({ ...options, uri: options.uri.replace(/^https:\/\/\w+\.twilio\.com/, url) });
  return twilio(toSid('AC', accountId), token, { httpClient });
}
