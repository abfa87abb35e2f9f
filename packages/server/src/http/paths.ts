import { type Operation, operations } from '@blindkeep/protocol/operations'

/** `/d/{opaque_id}` in Fastify's form: `/d/:opaque_id`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The methods of a row. */
export function methodsOf({ method, answersHead }: Operation): Operation['method'][] {
  return answersHead === true ? [method, 'HEAD'] : [method]
}

const rows = Object.values(operations).map((row: Operation) => ({
  row,
  form: new RegExp(`^${row.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The rows whose path matches the URL, ids unchecked. */
export function rowsAt(url: string): readonly Operation[] {
  const [path = ''] = url.split('?')
  return rows.filter(({ form }) => form.test(path)).map(({ row }) => row)
}

/** The parameters of a URL's query, as they were given. */
export function queryAt(url: string): Iterable<readonly [name: string, value: string]> {
  const mark = url.indexOf('?')
  return mark === -1 ? [] : new URLSearchParams(url.slice(mark + 1))
}
