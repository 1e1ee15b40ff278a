/** The roles in plain words. */
import type { Role } from '../../../api/operations.generated.ts';

/** What each may do. */
export const ROLES: Readonly<Record<Role, string>> = {
  OWNER: 'Everything, and who else may sign in.',
  DEVELOPER: 'Everything but managing who may sign in.',
  VIEWER: 'To look: numbers are masked, texts are left out.',
};

/** The choices of a role. */
export const ROLE_CHOICES = [
  { value: 'OWNER', label: 'Owner' },
  { value: 'DEVELOPER', label: 'Developer' },
  { value: 'VIEWER', label: 'Viewer' },
];
