import { type Operation, operations } from '@blindkeep/protocol/operations'

/** `/d/{opaque_id}` in the router's form: `/d/:opaque_id`. */
export function routerPath(path: string): string {
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

/** The rows whose path matches the URL, ids unchecked. Where a fixed path is one of the table too, it is not an id. */
export function rowsAt(url: string): readonly Operation[] {
  const [path = ''] = url.split('?')
  const matching = rows.filter(({ form }) => form.test(path)).map(({ row }) => row)
  const fixed = matching.filter((row) => row.path === path)
  return fixed.length > 0 ? fixed : matching
}

/** The fixed paths that the router would also take as an id, and with which methods: `/v1/drops/links` as a drop. */
export function mistakenPaths(): readonly {
  readonly path: string
  readonly methods: readonly Operation['method'][]
}[] {
  const paths = [...new Set(rows.map(({ row }) => row.path))]
  return paths.flatMap((path) => {
    const own = rowsAt(path).flatMap(methodsOf)
    const others = rows
      .filter(({ row, form }) => row.path !== path && form.test(path))
      .flatMap(({ row }) => methodsOf(row))
    const methods = [...new Set(others)].filter((method) => !own.includes(method))
    return methods.length > 0 ? [{ path, methods }] : []
  })
}

/** The parameters of a URL's query, as they were given. */
export function queryAt(url: string): Iterable<readonly [name: string, value: string]> {
  const mark = url.indexOf('?')
  return mark === -1 ? [] : new URLSearchParams(url.slice(mark + 1))
}
