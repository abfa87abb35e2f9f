import type { Json } from './openapi/examples.ts'
import { openapiDocument } from './openapi.ts'

/** The same document for generators of clients that read OpenAPI 3.1 only. */
export function openapi31Document(version: string, address?: string): Json {
  const document = inOlderWords(openapiDocument(version, address), false)
  return { ...(document as { readonly [name: string]: Json }), openapi: '3.1.1' }
}

function inOlderWords(value: Json, isOfHeader: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => inOlderWords(item, isOfHeader))
  if (typeof value !== 'object' || value === null) return value
  const node = value as { readonly [name: string]: Json }
  // Sequential media types are of 3.2.
  if (node.itemSchema !== undefined) return { schema: { type: 'string' } }
  // Some generators turn a date into an object and do not turn it back for a header.
  if (isOfHeader && node.format === 'date') return { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }
  const entries = Object.entries(node).map(([name, member]) => {
    const isHeader = name === 'headers' || (name === 'schema' && (isOfHeader || node.in === 'header'))
    return [name, inOlderWords(member, isHeader || (isOfHeader && name !== 'content'))]
  })
  return Object.fromEntries(entries)
}
