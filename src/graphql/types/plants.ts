/** Plants in GraphQL: the documented sample. */
import { Plant } from '../../modules/plants/plant.entity.ts';
import { createPlant, listPlants, newPlantInput } from '../../modules/plants/plants.ts';
import { builder } from '../builder.ts';
import { byInput } from '../from-zod.ts';

const PlantRef = builder.objectType(Plant, {
  name: 'Plant',
  description: 'A plant of the sample store.',
  fields: t => ({
    id: t.member('id', 'BigInt', 'Identification number, a full int64.'),
    name: t.member('name', 'String', 'The name of the plant.'),
    tag: t.nullable('tag', 'String', 'Tag that specifies the type; null: none.'),
  }),
});

builder.mutationField('createPlant', t =>
  t.field({
    type: PlantRef,
    description: 'Creates a plant. Any live token.',
    policy: { opens: 'any' },
    ...byInput(newPlantInput.meta({ id: 'NewPlantInput', description: 'A new plant' }), 'The plant.', createPlant),
  }),
);

builder.queryField('plants', t =>
  t.field({
    type: [PlantRef],
    description: 'The plants of the account, by id. Any live token.',
    policy: { opens: 'any' },
    args: {
      first: t.arg.int({ defaultValue: 200, required: true, description: 'How many, 1 to 200.' }),
      after: t.arg({ type: 'BigInt', description: 'Only plants with a greater id: the last one of the page before.' }),
    },
    resolve: (_root, { first, after }, ctx) => listPlants(ctx, first, after ?? null),
  }),
);
