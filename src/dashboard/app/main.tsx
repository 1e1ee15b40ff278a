import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './theme.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { createQueryClient } from './api/hooks.ts';
import { resumeAccount } from './frame/session/acting-account.ts';
import { createRouter } from './routes.tsx';
import { resolver, theme } from './theme.ts';

resumeAccount();
const root = document.querySelector('#root');
if (root === null) throw new Error('dashboard.html has no #root');
createRoot(root).render(
  <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={createRouter()} />
    </QueryClientProvider>
  </MantineProvider>,
);
