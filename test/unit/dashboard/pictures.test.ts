import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { picturesOf } from '../../shots/pictures.ts';
import { REPOSITORY } from '../../support/repository.ts';

/** Pages that are the same as another one, or are left at once. */
const WITHOUT = ['/oidc', 'webhooks/deliveries/:deliveryId', '*'];

test('every page of the dashboard has a picture', () => {
  const routes = readFileSync(join(REPOSITORY, 'src/dashboard/app/routes.tsx'), 'utf8');
  const paths = [...routes.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path);
  const id = 'x';
  const things = { invitation: '/dashboard/invitation#x', endpointId: id, disabledEndpointId: id };
  const pictures = picturesOf({ ...things, failingEndpointId: id, connectionId: id });
  const shown = Object.values(pictures).map(({ path }) => path.replace('/dashboard', '').split(/[?#]/)[0] || '/');
  const isShown = (path: string) => {
    const page = path.startsWith('/') ? path : `/${path}`;
    const pattern = new RegExp(`^${page.replace(/\/:\w+\?/, '(/\\w+)?').replace(/:\w+/, '\\w+')}$`);
    return shown.some(one => pattern.test(one));
  };
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter(path => !WITHOUT.includes(path) && !isShown(path))).toEqual([]);
});
