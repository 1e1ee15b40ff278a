/** Whether a request accepts a form in which results of GraphQL are answered, asked before its operation runs. */

/** The forms that Yoga answers in. */
const FORMS = ['application/graphql-response+json', 'application/json', 'text/event-stream', 'multipart/mixed'];

/** Whether a header `Accept` names one of the forms, or a range of it: in UTF-8, whatever its weight. Yoga reads it so once the operation has run. */
export function acceptsResults({ headers }: Pick<Request, 'headers'>): boolean {
  const ranges = (headers.get('accept') || '*/*').replace(/\s/g, '').toLowerCase().split(',');
  return ranges.some(range => {
    const [type = '', ...parameters] = range.split(';');
    const charset = parameters.find(parameter => parameter.includes('charset=')) ?? 'charset=utf-8';
    return charset === 'charset=utf-8' && FORMS.some(form => isWithin(form, type));
  });
}

function isWithin(form: string, range: string): boolean {
  const [[type, subtype], [anyType, anySubtype]] = [form.split('/'), range.split('/')];
  return (anyType === '*' || anyType === type) && (anySubtype === '*' || anySubtype === subtype);
}
