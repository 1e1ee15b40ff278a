/** How a template stands at its provider. */
import type { ReactNode } from 'react';
import { Status } from '../../ui/status.tsx';

/** The status with the provider's word. Its provider pauses a template for what people say of it: it needs a look. */
export function TemplateStatus({ status }: { readonly status: string }): ReactNode {
  return status === 'PAUSED' ? <Status status="FLAGGED" word="paused" /> : <Status status={status} />;
}
