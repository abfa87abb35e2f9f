import { type Operation, operations } from '@blindkeep/protocol/operations'

/** `/d/{opaque_id}` as Fastify writes it: `/d/:opaque_id`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

const patterns = Object.values(operations).map((row: Operation) => ({
  method: row.method,
  form: new RegExp(`^${row.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The methods that a URL's path has; none when there is no such path. */
export function allowedMethods(url: string): readonly string[] {
  const [path = ''] = url.split('?')
  return patterns.filter(({ form }) => form.test(path)).map(({ method }) => method)
}
