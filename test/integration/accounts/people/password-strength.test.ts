import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newPassword } from '../../../../src/kernel/crypto/secrets.ts';
import { requireHardToGuess } from '../../../../src/modules/accounts/sign-in/password-strength.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const EMAIL = 'ada.lovelace@engines.example';

/** The refusal of a password; null: it is taken. */
async function faultOf(password: string): Promise<string | null> {
  try {
    await requireHardToGuess(password, EMAIL, 'password');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const BAD = [
  'aaaaaaaaaaaa',
  ' '.repeat(12),
  'passwordpassword',
  '123456789012',
  'qwertyuiopas',
  'abcdefghijkl',
  'Password1234',
  'P@ssw0rd1234',
  'iloveyouiloveyou',
  'letmeinletmein',
  'adminadmin12',
  'welcome12345',
  'qwerty123456',
  '1q2w3e4r5t6y',
  'monkeymonkey',
  'football1234',
  'sunshine2024',
  '987654321098',
  'abcabcabcabc',
  '111111222222',
  'password2026',
  'trustno1trustno1',
  'changemechangeme',
  'zaq12wsxcde3',
  "asdfghjkl;'\\",
  'dragon123456',
  'princess1234',
  'heliograph12',
  'heliographheliograph',
  'lovelace.lovelace',
  'ada.lovelace1',
  'Engines.Lovelace',
  '0'.repeat(128),
];

const GOOD = [
  'correct horse battery staple',
  'a cup of tea at four',
  'walking the dog at seven',
  'my cat likes blue cheese',
  'velvet otter drum kettle',
  'seven quiet harbours at dusk',
  'the tram was late on Tuesday',
  'rust never sleeps in Oslo',
  'grandmother sold her accordion',
  'four paper boats and a kite',
  'lemon chimney orbit wagon',
  'no snow in Lisbon again',
  'Kaffee und Kuchen am Sonntag',
  'la vache regarde le train',
  'où est passée la clé verte',
  'mañana salimos hacia el sur',
  'zeven kikkers onder de brug',
  'ostatni tramwaj do portu',
  'пять кошек на крыше дома',
  '今日は海まで歩きました、ゆっくりと',
  'Tr0ub4dor&3xyz!',
  'x7#Lq9!vRt2@',
  '4c1d9e7b2f60a853',
  'vQ8-rT2-mW5-kZ9',
  'bicycle-thunder-parsnip',
  'we met behind the lighthouse',
  'pineapple on nobody’s pizza',
  'twelve angry geese at noon',
  'her violin has two strings',
  'the soup needs more thyme',
];

/** A season, a month or a weekday, in several languages, with digits and marks around it or in it. */
const CALENDAR = [
  'Summer2026!!',
  'Winter2025#1',
  'Spring2026!?',
  'Autumn-2026-1',
  '2026Summer!!',
  '!!Summer2026',
  'SUMMER!2026!',
  'Summ3r2026!!',
  'remmuS2026!!',
  'summer/winter/26',
  'Monday2026!!',
  'Wednesday#26',
  'September26!',
  'February2026!',
  'August.1999!',
  'Sommer2026!!',
  'Frühling2026!',
  'Januar2026!!',
  'Dienstag#2026',
  'Février2026!',
  'Fevrier2026!',
  'Août2026!!!!',
  'primavera2026!',
  'Miércoles2026!',
  'zomer!2026!!',
];

/** A common word with digits and marks around it, which is three pieces. */
const MANGLED = [
  'Password2026!!',
  'Welcome2026!!',
  'Dragon!2026!?',
  '!!monkey1999',
  'Iloveyou!2024!',
  'P@ssw0rd!2026!',
  'Letmein#1990#',
];

/** A word of the calendar among others that nobody would expect. */
const BESIDE_CALENDAR = [
  'Summer in Lisbon 2026',
  'winter soup with thyme',
  'Monday I bake rye bread',
  'a cold March in Bergen',
  'Sommer am kleinen See 26',
  'maypole-thunder-parsnip',
  'july.kettle.october.mast',
  'dragon.84719362',
];

describe('a new password', () => {
  test.each([...BAD, ...CALENDAR, ...MANGLED])('%j is refused, with why and what to do', async password => {
    expect(await faultOf(password)).toMatch(
      /^password: is easy to guess, as it [a-z' -]+: choose a sentence, or four words that nobody would expect together$/,
    );
  });

  test.each([...GOOD, ...BESIDE_CALENDAR])('%j is taken', async password => {
    expect(await faultOf(password)).toBeNull();
  });

  test.each([
    ['aaaaaaaaaaaa', 'repeats itself'],
    ['abcdefghijkl', 'is a sequence'],
    ['qwerty123456', 'is a common password'],
    ['Summer2026!!', 'is a season or a month or a weekday with digits and marks'],
    ['Password2026!!', 'is a common word with digits and marks'],
    ['heliograph12', "holds little more than the e-mail address or the gateway's name"],
  ])('%j is refused because of what it is', async (password, fault) => {
    expect(await faultOf(password)).toContain(`as it ${fault}:`);
  });

  test('that the gateway makes is taken', async () => {
    await assertProperty(
      fc.asyncProperty(fc.constant(null).map(newPassword), async password => {
        expect(await faultOf(password)).toBeNull();
      }),
      // Each is compared with all common words.
      { numRuns: rounds({ usual: 100, long: 500 }) },
    );
  });
});
