/** Where a bucket is. It never contains credentials. */
export interface S3Address {
  readonly bucket: string
  /** Empty, or ends with `/`. All keys of the server begin with it. */
  readonly prefix: string
  /** Undefined for Amazon's own. */
  readonly endpoint: string | undefined
  readonly region: string
  /** The bucket is named in the path of a request rather than in its host. */
  readonly pathStyle: boolean
}

const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const prefixForm = /^(?:[A-Za-z0-9._-]{1,100}\/){0,5}$/
const regionForm = /^[a-z0-9-]{1,40}$/
const PARAMETERS: readonly string[] = ['endpoint', 'region', 'pathStyle']
const DEFAULT_REGION = 'us-east-1'

/**
 * Reads `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true`. The fault is a sentence without its subject,
 * and never repeats the text, which may contain a secret by mistake.
 */
export function parseS3Address(text: string): { readonly value: S3Address } | { readonly fault: string } {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 's3:' || url.hash !== '') return { fault: 'must be s3://<bucket>/<prefix>' }
  if (url.username !== '' || url.password !== '')
    return { fault: 'must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' }
  if (!bucketForm.test(url.host)) return { fault: 'must name a bucket: s3://<bucket>/<prefix>' }
  const prefix = prefixOf(url.pathname)
  if (!prefixForm.test(prefix)) return { fault: 'has a prefix with other characters than A-Z a-z 0-9 . _ - /' }
  const parameters = url.searchParams
  const isKnown = [...parameters.keys()].every(
    (name) => PARAMETERS.includes(name) && parameters.getAll(name).length === 1,
  )
  if (!isKnown) return { fault: `knows only the parameters ${PARAMETERS.join(', ')}, once each` }
  return withParameters({ bucket: url.host, prefix }, parameters)
}

function prefixOf(pathname: string): string {
  const path = pathname.replace(/^\//, '')
  return path === '' || path.endsWith('/') ? path : `${path}/`
}

function withParameters(place: Pick<S3Address, 'bucket' | 'prefix'>, parameters: URLSearchParams) {
  const given = parameters.get('endpoint')
  const endpoint = given === null ? undefined : originOf(given)
  if (given !== null && endpoint === undefined)
    return { fault: 'has an endpoint that is not http(s)://<host>:<port> without path, query and user' }
  const region = parameters.get('region') ?? DEFAULT_REGION
  if (!regionForm.test(region)) return { fault: 'has a region that is not a name' }
  const style = parameters.get('pathStyle') ?? String(endpoint !== undefined)
  if (style !== 'true' && style !== 'false') return { fault: 'has a pathStyle that is neither true nor false' }
  return { value: { ...place, endpoint, region, pathStyle: style === 'true' } }
}

function originOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !(url.protocol === 'http:' || url.protocol === 'https:')) return undefined
  return url.href === `${url.origin}/` ? url.origin : undefined
}
