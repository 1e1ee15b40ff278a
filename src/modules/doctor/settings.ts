/** Checks the settings for risky choices. Pure, so it also works without a database. */
import { isThisMachine } from '../../kernel/network/address.ts';
import type { SettingsFacts } from '../../kernel/settings/settings-facts.ts';
import { type Finding, ok, warning } from './finding.ts';

const QUIET: ReadonlySet<string> = new Set(['error', 'fatal', 'silent']);

/** Checks the settings. */
export function lookAtSettings(facts: SettingsFacts): Finding[] {
  return [
    lookAtMode(facts),
    ...lookAtNetwork(facts),
    ...lookAtPublicUrl(facts),
    lookAtOperator(facts),
    ...lookAtRest(facts),
  ];
}

function lookAtMode({ production, host }: SettingsFacts): Finding {
  if (production) return ok('settings.mode', 'NODE_ENV is production.');
  const message = 'NODE_ENV is not production.';
  if (isThisMachine(host)) return ok('settings.mode', message);
  return warning(
    'settings.mode',
    `${message} Yet other machines can reach this gateway.`,
    'Set NODE_ENV=production, unless it is for trying things out.',
  );
}

function lookAtNetwork({ production, host, trustsProxies }: SettingsFacts): Finding[] {
  const tls =
    isThisMachine(host) || trustsProxies
      ? ok('settings.tls', 'Only this machine, or a proxy in front, reaches the gateway.')
      : warning(
          'settings.tls',
          'The gateway listens to other machines, speaks plain HTTP, and trusts no proxy: tokens and passcodes may travel in the clear.',
          'Put a proxy that ends TLS in front, name it in TRUSTED_PROXIES, and set HOST to an address that only it reaches.',
        );
  const proxies =
    trustsProxies || !production
      ? ok('settings.proxies', trustsProxies ? 'TRUSTED_PROXIES is set.' : 'TRUSTED_PROXIES is not set.')
      : warning(
          'settings.proxies',
          'TRUSTED_PROXIES is not set: behind a proxy every caller has one address, and they share its limits.',
          'Set TRUSTED_PROXIES to the number of proxies in front, or to their addresses.',
        );
  return [tls, proxies];
}

const PUBLIC_URL_MEND =
  'Set PUBLIC_URL to the address at which people and providers reach this gateway, such as https://gateway.example.com.';

function lookAtPublicUrl({ production, host, trustsProxies, publicUrl }: SettingsFacts): Finding[] {
  if (publicUrl === null && (production || trustsProxies || !isThisMachine(host)))
    return [
      warning(
        'settings.public_url',
        'PUBLIC_URL is not set: links of invitations lead to the address that the gateway listens on, and the cookie of the dashboard is not for HTTPS alone.',
        PUBLIC_URL_MEND,
      ),
    ];
  if (publicUrl !== null && production && !publicUrl.startsWith('https:'))
    return [
      warning(
        'settings.public_url',
        'PUBLIC_URL is plain HTTP: the cookie of the dashboard is not for HTTPS alone.',
        PUBLIC_URL_MEND,
      ),
    ];
  return [];
}

function lookAtOperator({ production, givesOperatorToken }: SettingsFacts): Finding {
  if (givesOperatorToken) return ok('settings.operator_token', 'OPERATOR_TOKEN is set.');
  return ok(
    'settings.operator_token',
    production
      ? "OPERATOR_TOKEN is not set: the operator's fields are closed over HTTP."
      : 'The operator token was generated into the data directory.',
  );
}

function lookAtRest({ production, allowedNetworks, playground, sandbox, logLevel }: SettingsFacts): Finding[] {
  const findings: Finding[] = [];
  if (production && allowedNetworks > 0)
    findings.push(
      warning(
        'settings.webhook_networks',
        'WEBHOOK_ALLOWED_NETWORKS lets customers have requests made to networks that are not public.',
        'Unset WEBHOOK_ALLOWED_NETWORKS, or keep only networks where nothing trusts its neighbours.',
      ),
    );
  if (production && playground)
    findings.push(
      warning('settings.playground', 'PLAYGROUND is on in production.', 'Set PLAYGROUND=off, or leave it out.'),
    );
  if (production && sandbox)
    findings.push(
      warning(
        'settings.sandbox',
        'SANDBOX is on in production: what no provider is connected for is said to be sent, and reaches nobody.',
        'Set SANDBOX=off, or leave it out.',
      ),
    );
  if (QUIET.has(logLevel))
    findings.push(
      warning('settings.log', `LOG_LEVEL is ${logLevel}: warnings are lost.`, 'Set LOG_LEVEL=info, or leave it out.'),
    );
  return findings;
}
