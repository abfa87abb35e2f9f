/** A tree of elements: text, or children by name; an array repeats the element. */
export type Xml = string | number | boolean | { readonly [name: string]: Xml | readonly Xml[] | undefined }

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

export function document(name: string, content: Xml, namespace = true): string {
  const opening = namespace ? `${name} xmlns="${NAMESPACE}"` : name
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${opening}>${inner(content)}</${name}>`
}

function inner(content: Xml): string {
  if (typeof content !== 'object') return escaped(String(content))
  return Object.entries(content)
    .flatMap(([name, value]) => elements(value).map((each) => `<${name}>${inner(each)}</${name}>`))
    .join('')
}

function elements(value: Xml | readonly Xml[] | undefined): readonly Xml[] {
  if (value === undefined) return []
  return isList(value) ? value : [value]
}

function isList(value: Xml | readonly Xml[]): value is readonly Xml[] {
  return Array.isArray(value)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Texts of childless elements `name`. The double reads one kind of document: it needs no parser. */
export function textsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => unescaped(text ?? ''))
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
