/** Stores a prefixed id (`msg_…`) in a uuid column: entities show ids, indexes hold 16 bytes. */
import { Type } from '@mikro-orm/core';
import { fromUuid, type IdPrefix, toUuid } from '../kernel/ids.ts';

/** A uuid column shown as `<prefix>_<32 hex>`. */
export class IdType extends Type<string, string> {
  // Not #private: the ORM copies types during discovery, and a copy has no private fields.
  private readonly idPrefix: IdPrefix;

  constructor(idPrefix: IdPrefix) {
    super();
    this.idPrefix = idPrefix;
  }

  override convertToDatabaseValue(value: string): string {
    // The ORM also passes the null of a nullable column, despite the types.
    return value?.includes('_') ? toUuid(value) : value;
  }

  override convertToJSValue(value: string): string {
    return value === null || value.includes('_') ? value : fromUuid(this.idPrefix, value);
  }

  override getColumnType(): string {
    return 'uuid';
  }

  override compareAsType(): string {
    return 'string';
  }

  override toJSON(value: string): string {
    return value;
  }
}
