/** The pages by their paths. Each is loaded when it is opened. */
import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate } from 'react-router';
import { Broken } from './frame/broken.tsx';
import { Frame } from './frame/frame.tsx';
import { useRegion } from './ui/region/region.ts';

/** Loads a page: the module exports it by this name. It is drawn anew when times or numbers are shown in another way. */
function page<Name extends string>(name: Name, load: () => Promise<Record<Name, ComponentType>>) {
  return async () => {
    const Shown: ComponentType = (await load())[name];
    const Component: ComponentType = () => {
      useRegion();
      return <Shown />;
    };
    return { Component };
  };
}

/** Shows while the code of the first page comes. */
const nothing = (): null => null;

/** Makes the router. */
export function createRouter() {
  return createBrowserRouter(
    [
      {
        path: '/sign-in',
        lazy: page('SignIn', () => import('./pages/sign-in/sign-in.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/invitation',
        lazy: page('Invitation', () => import('./pages/sign-in/invitation.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/oidc',
        lazy: page('OidcReturn', () => import('./pages/sign-in/oidc-return.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/reset',
        lazy: page('Reset', () => import('./pages/sign-in/reset.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/second-factor',
        lazy: page('SecondFactor', () => import('./pages/sign-in/second-factor.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/',
        Component: Frame,
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
        children: [
          // A page that fails leaves the navigation as it is.
          {
            ErrorBoundary: Broken,
            children: [
              { index: true, lazy: page('Overview', () => import('./pages/overview/overview.tsx')) },
              { path: 'logs', lazy: page('Logs', () => import('./pages/logs/logs.tsx')) },
              { path: 'requests', lazy: page('Requests', () => import('./pages/requests/requests.tsx')) },
              { path: 'send', lazy: page('Send', () => import('./pages/send/send.tsx')) },
              { path: 'inbox/:phone?', lazy: page('Inbox', () => import('./pages/inbox/inbox.tsx')) },
              { path: 'connections', lazy: page('Connections', () => import('./pages/connections/connections.tsx')) },
              { path: 'senders', lazy: page('Senders', () => import('./pages/senders/senders.tsx')) },
              { path: 'alerts', lazy: page('Alerts', () => import('./pages/alerts/alerts.tsx')) },
              { path: 'credits', lazy: page('Credits', () => import('./pages/credits/credits.tsx')) },
              { path: 'tokens', lazy: page('Tokens', () => import('./pages/tokens/tokens.tsx')) },
              { path: 'limits', lazy: page('Limits', () => import('./pages/limits/limits.tsx')) },
              { path: 'audit', lazy: page('Audit', () => import('./pages/audit/audit.tsx')) },
              { path: 'account', lazy: page('Account', () => import('./pages/account/account.tsx')) },
              { path: 'webhooks', lazy: page('Webhooks', () => import('./pages/webhooks/endpoints.tsx')) },
              { path: 'webhooks/new', lazy: page('NewWebhook', () => import('./pages/webhooks/new-endpoint.tsx')) },
              {
                path: 'webhooks/deliveries/:deliveryId',
                lazy: page('DeliveryLink', () => import('./pages/webhooks/delivery-link.tsx')),
              },
              {
                path: 'webhooks/:endpointId',
                lazy: page('WebhookEndpoint', () => import('./pages/webhooks/endpoint/endpoint.tsx')),
              },
              { path: 'errors', lazy: page('Errors', () => import('./pages/errors/errors.tsx')) },
              { path: '*', element: <Navigate to="/" replace /> },
            ],
          },
        ],
      },
    ],
    { basename: '/dashboard' },
  );
}
