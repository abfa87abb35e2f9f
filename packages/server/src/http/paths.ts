import { type Operation, operations } from '@blindkeep/protocol/operations'

/** `/d/{opaque_id}` as Fastify writes it: `/d/:opaque_id`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** What a row answers to. */
export function methodsOf({ method, answersHead }: Operation): Operation['method'][] {
  return answersHead === true ? [method, 'HEAD'] : [method]
}

const patterns = Object.values(operations).map((row: Operation) => ({
  methods: methodsOf(row),
  form: new RegExp(`^${row.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The methods that a URL's path has; none when there is no such path. */
export function allowedMethods(url: string): readonly string[] {
  const [path = ''] = url.split('?')
  return patterns.filter(({ form }) => form.test(path)).flatMap(({ methods }) => methods)
}
