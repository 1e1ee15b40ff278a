/** The pages by their paths. Each is loaded when it is opened. */
import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate } from 'react-router';
import { Broken } from './frame/broken.tsx';
import { Frame } from './frame/frame.tsx';
import { useRegion } from './ui/region/region.ts';

/** Loads a page: the module exports it by this name. A change of the zone, or of the grouping of numbers, draws it anew. */
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
        lazy: page('SignIn', () => import('./features/sign-in/sign-in.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/invitation',
        lazy: page('Invitation', () => import('./features/sign-in/invitation.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/oidc',
        lazy: page('OidcReturn', () => import('./features/sign-in/oidc-return.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/reset',
        lazy: page('Reset', () => import('./features/sign-in/reset.tsx')),
        ErrorBoundary: Broken,
        HydrateFallback: nothing,
      },
      {
        path: '/second-factor',
        lazy: page('SecondFactor', () => import('./features/sign-in/second-factor.tsx')),
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
              { index: true, lazy: page('Overview', () => import('./features/overview/overview.tsx')) },
              { path: 'logs', lazy: page('Logs', () => import('./features/logs/logs.tsx')) },
              { path: 'requests', lazy: page('Requests', () => import('./features/requests/requests.tsx')) },
              { path: 'send', lazy: page('Send', () => import('./features/send/send.tsx')) },
              { path: 'inbox/:person?', lazy: page('Inbox', () => import('./features/inbox/inbox.tsx')) },
              { path: 'phones/:phone?', lazy: page('Phones', () => import('./features/phones/phones.tsx')) },
              {
                path: 'connections',
                lazy: page('Connections', () => import('./features/connections/connections.tsx')),
              },
              { path: 'senders', lazy: page('Senders', () => import('./features/senders/senders.tsx')) },
              { path: 'templates', lazy: page('Templates', () => import('./features/templates/templates.tsx')) },
              { path: 'replies', lazy: page('Replies', () => import('./features/replies/replies.tsx')) },
              { path: 'alerts', lazy: page('Alerts', () => import('./features/alerts/alerts.tsx')) },
              { path: 'credits', lazy: page('Credits', () => import('./features/credits/credits.tsx')) },
              { path: 'tokens', lazy: page('Tokens', () => import('./features/tokens/tokens.tsx')) },
              { path: 'limits', lazy: page('Limits', () => import('./features/limits/limits.tsx')) },
              { path: 'audit', lazy: page('Audit', () => import('./features/audit/audit.tsx')) },
              { path: 'account', lazy: page('Account', () => import('./features/account/account.tsx')) },
              { path: 'webhooks', lazy: page('Webhooks', () => import('./features/webhooks/endpoints.tsx')) },
              { path: 'webhooks/new', lazy: page('NewWebhook', () => import('./features/webhooks/new-endpoint.tsx')) },
              {
                path: 'webhooks/deliveries/:deliveryId',
                lazy: page('DeliveryLink', () => import('./features/webhooks/delivery-link.tsx')),
              },
              {
                path: 'webhooks/:endpointId',
                lazy: page('WebhookEndpoint', () => import('./features/webhooks/endpoint/endpoint.tsx')),
              },
              { path: 'errors', lazy: page('Errors', () => import('./features/errors/errors.tsx')) },
              { path: '*', element: <Navigate to="/" replace /> },
            ],
          },
        ],
      },
    ],
    { basename: '/dashboard' },
  );
}
