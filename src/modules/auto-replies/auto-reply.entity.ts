/** The auto-replies of accounts: texts that answer keywords of people (contract §15). */
import { defineEntity, p } from '@mikro-orm/core';
import { ownerIn } from '../accounts/account.entity.ts';
import type { CloudTemplateInput } from '../routing/route.input.ts';

const AutoReplySchema = defineEntity({
  name: 'AutoReply',
  tableName: 'auto_replies',
  properties: {
    accountId: ownerIn('auto_replies').primary(),
    /** A word as `wordOf` makes it. */
    keyword: p.text().primary(),
    /** The answer by every channel without templates, and by the others where there is no template. */
    text: p.text(),
    cloudTemplate: p.json<CloudTemplateInput>().nullable(),
    updatedAt: p.datetime(),
  },
});

/** The answer of an account to one keyword. */
export class AutoReply extends AutoReplySchema.class {}
AutoReplySchema.setClass(AutoReply);
