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

/** The query of a URL. */
export function queryAt(url: string): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
}
