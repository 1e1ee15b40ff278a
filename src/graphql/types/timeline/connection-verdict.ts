/** Why a connection is asked, or is not, in GraphQL. */
import { VERDICTS } from '../../../channels/providers.ts';
import { defineEnum } from '../../from-zod.ts';

/** `ConnectionVerdict` */
export const VerdictEnum = defineEnum('ConnectionVerdict', VERDICTS, 'Why a connection is asked, or is not.', {
  first: 'It is asked first.',
  follows: 'It follows where those before it could not send.',
  sick: 'It is sick, and is asked after those that are well; where none is, by its priority.',
  trial: 'It is sick, and keeps its place for this recipient, one of few, to see whether it is well again.',
  down: 'It is down, and is asked last.',
  known_only: 'Its number writes to nobody new for now, and the recipient is new to it.',
  paused: 'It is paused.',
  unusable: 'Its config cannot be read: its secret key is lost, or a newer gateway made it.',
  country: 'It is not for the country of the recipient.',
  purpose: 'It is not for messages, or not for passcodes.',
  number: 'It has another number than the chat, in which free text goes.',
});
