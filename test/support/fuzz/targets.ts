/** All targets of the fuzzer. A folder of `test/fixtures/fuzz` holds the kept inputs of each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';
import type { FuzzTarget } from './search.ts';
import { gsmBytes, gsmText } from './targets/gsm.ts';
import { httpSmsConfigs, httpSmsInbound, httpSmsPlace, httpSmsReceipt } from './targets/http-sms.ts';
import { quotesTarget } from './targets/quotes.ts';
import { graphqlDocument, jsonBody, phoneNumber } from './targets/requests.ts';
import { twilioInbound, twilioReceipt, vonageInbound, vonageReceipt } from './targets/signed.ts';
import { smppFramer, smppInbound, smppReceipt } from './targets/smpp.ts';
import { cursor, tellableWords } from './targets/texts.ts';
import { guardTarget } from './targets/url-guard.ts';
import { whatsAppCallback } from './targets/whatsapp.ts';

/** Every target. */
export const TARGETS: readonly FuzzTarget[] = [
  smppFramer,
  smppReceipt,
  smppInbound,
  gsmText,
  gsmBytes,
  httpSmsConfigs,
  httpSmsReceipt,
  httpSmsPlace,
  httpSmsInbound,
  twilioReceipt,
  twilioInbound,
  vonageReceipt,
  vonageInbound,
  whatsAppCallback,
  jsonBody,
  graphqlDocument,
  phoneNumber,
  cursor,
  tellableWords,
  quotesTarget(),
  guardTarget(),
];

/** The folder of the kept inputs of a target. */
export function folderOf({ name }: FuzzTarget): string {
  return join(REPOSITORY, 'test', 'fixtures', 'fuzz', name);
}

/** The inputs of a target that are kept, by the names of their files. */
export function keptOf(target: FuzzTarget): ReadonlyMap<string, Buffer> {
  const folder = folderOf(target);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return new Map(names.map(name => [name, readFileSync(join(folder, name))]));
}
