/** The path of the sample endpoint. */
import { type NewPlantInput, newPlantInput } from '../../modules/plants/plants.ts';
import { bare } from '../envelope.ts';
import { mount, type Route } from '../mount.ts';
import { plantData } from '../schemas.ts';

/** `POST /plants`. */
export const plantRoutes: readonly Route[] = [
  mount('create-plant').at('POST', '/plants', {
    id: 'createPlant',
    tag: 'Plants',
    summary: 'Create a plant',
    description: 'The sample endpoint. Takes any live token.',
    area: 'any',
    failureStyle: 'plant',
    input: newPlantInput,
    variables: ({ id, name, tag }: NewPlantInput) => ({ input: { id, name, tag } }),
    answer: ({ name, tag }) => bare(tag === null ? { name } : { name, tag }),
    data: plantData,
    isBare: true,
    int64: true,
    errors: [],
    examples: [
      {
        name: 'tagged',
        summary: 'With a tag',
        request: { id: 1, name: 'Monstera', tag: 'indoor' },
        result: { name: 'Monstera', tag: 'indoor' },
      },
      { name: 'plain', summary: 'Without one', request: { id: 2, name: 'Fern' }, result: { name: 'Fern', tag: null } },
    ],
    badRequest: { id: 'one', name: '' },
  }),
];
