/** The verbs of the sample endpoint, for any live token: create and list plants. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, requireAccount } from '../../context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { isStorableText, UNSTORABLE } from '../../kernel/storable.ts';
import { Plant } from './plant.entity.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const storable = z.string().max(1_000, 'must have at most 1000 characters').refine(isStorableText, UNSTORABLE);

/** The input of `createPlant` and of `POST /plants`: `NewPlant` in the documentation. */
export const newPlantInput = z
  .object({
    id: z
      .bigint('must be an integer of 64 bits')
      .min(INT64_MIN, 'must be an integer of 64 bits')
      .max(INT64_MAX, 'must be an integer of 64 bits')
      .meta({
        description: 'Identification number of the plant',
        type: 'integer',
        format: 'int64',
        example: 1,
      }),
    name: storable.min(1, 'must not be empty').meta({ description: 'The name of the plant', example: 'Monstera' }),
    tag: storable.nullish().meta({ description: 'Tag that specifies the type', example: 'indoor' }),
  })
  .meta({ id: 'NewPlant', description: 'A plant with its identification number' });

/** A valid input of `createPlant`. */
export type NewPlantInput = z.infer<typeof newPlantInput>;

/** Creates a plant of the caller's account. @throws AppError `invalid_input` if the account has one with this id */
export async function createPlant(ctx: Ctx, input: NewPlantInput): Promise<Plant> {
  const { account } = requireAccount(ctx);
  try {
    const plant = ctx.em.create(Plant, {
      accountId: account.id,
      id: input.id,
      name: input.name,
      tag: input.tag ?? null,
      createdAt: ctx.clock.now(),
    });
    await ctx.em.flush();
    return plant;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw invalidInput('id', 'is taken by another plant');
    throw error;
  }
}

/** The plants of the caller's account with an id above `after`, by id, at most `first`. */
export async function listPlants(ctx: Ctx, first: number, after: bigint | null): Promise<Plant[]> {
  const { account } = requireAccount(ctx);
  if (first < 1 || first > 200) throw invalidInput('first', 'must be 1 to 200');
  if (after !== null && (after < INT64_MIN || after > INT64_MAX))
    throw invalidInput('after', 'must be an integer of 64 bits');
  return ctx.em.find(
    Plant,
    { accountId: account.id, ...(after === null ? {} : { id: { $gt: after } }) },
    { orderBy: { id: 'asc' }, limit: first },
  );
}
