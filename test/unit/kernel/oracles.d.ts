/** The parts that the tests use of two oracles that come without types. */

declare module 'split-sms' {
  export function split(text: string): { characterSet: 'GSM' | 'Unicode'; parts: { bytes: number }[]; bytes: number };
}

declare module 'google-libphonenumber' {
  export interface ParsedNumber {
    getCountryCode(): number;
  }
  export class PhoneNumberUtil {
    static getInstance(): PhoneNumberUtil;
    static ValidationResult: { IS_POSSIBLE: number };
    parse(text: string): ParsedNumber;
    isPossibleNumberWithReason(number: ParsedNumber): number;
    format(number: ParsedNumber, format: number): string;
  }
  export const PhoneNumberFormat: { E164: number };
}

declare module 'sms-segments-calculator/dist/libs/SmartEncodingMap.js' {
  const list: Readonly<Record<string, string | undefined>>;
  export = list;
}
