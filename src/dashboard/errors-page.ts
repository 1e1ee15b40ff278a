/** The page of errors, whose samples are at the address that it was opened by. */
import html from '../../docs/errors.md?html';

/** The HTML. */
export const ERRORS_PAGE = html.replaceAll('http://127.0.0.1:4000', location.origin);
