/** The options of a route, which messages and passcodes share. */
import { type Channel, DELIVERY_MODES, type DeliveryMode } from '../kernel/channel.ts';
import { SUCCESS_STATUSES, type SuccessStatus } from '../kernel/status.ts';
import { askedOf, fieldOf, option } from './options.ts';
import { enumName, readTemplate, readWhole } from './values.ts';

/** The options, but for the channels and the sender: messages and passcodes say other things of these. */
export const ROUTE = {
  mode: fieldOf('deliveryMode', option('<mode>', 'how several channels are used', DELIVERY_MODES)),
  fallbackAfter: option(
    '<seconds>',
    'let the next channel follow one that did not deliver by then, 15 to 3600',
    readWhole(15, 3_600),
  ),
  successStatus: option('<status>', 'what a channel has to reach by then', SUCCESS_STATUSES),
  chatFrom: option('<number>', 'the number of the QR sender'),
  cloudTemplate: askedOf(
    'template names',
    option('<template>', 'the template of the cloud channel: name:language, or JSON with components', readTemplate),
  ),
};

/** The fields of the API that these options fill. */
export function readRoute(options: {
  readonly channels?: readonly Channel[] | undefined;
  readonly mode?: DeliveryMode | undefined;
  readonly fallbackAfter?: number | undefined;
  readonly successStatus?: SuccessStatus | undefined;
}) {
  const { channels, mode, fallbackAfter, successStatus } = options;
  return {
    channels: channels?.map(channel => enumName(channel)),
    deliveryMode: enumName(mode),
    fallbackAfter,
    successStatus: enumName(successStatus),
  };
}
