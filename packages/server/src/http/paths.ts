import { type Operation, operations } from '@blindkeep/protocol/operations'

/** `/d/{opaque_id}` as Fastify writes it: `/d/:opaque_id`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** What a row answers to. */
export function methodsOf({ method, answersHead }: Operation): Operation['method'][] {
  return answersHead === true ? [method, 'HEAD'] : [method]
}

const rows = Object.values(operations).map((row: Operation) => ({
  row,
  form: new RegExp(`^${row.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The rows whose path a URL has, by its form alone; none when there is no such path. */
export function rowsAt(url: string): readonly Operation[] {
  const [path = ''] = url.split('?')
  return rows.filter(({ form }) => form.test(path)).map(({ row }) => row)
}

/** What stands behind the question mark. */
export function queryAt(url: string): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
}
