/** WebDriver (W3C, level 2): commands as HTTP requests to the driver of a browser. */

export interface WebDriver {
  readonly capabilities: { readonly browserVersion: string }
  /** `path` without a slash at its beginning, below the session. Rejects with the driver's error. */
  post<Result>(path: string, body?: object): Promise<Result>
  get<Result>(path: string): Promise<Result>
  /** Ends the session, and with it the browser. */
  end(): Promise<void>
}

/** The key of an element in JSON (section 12.2 of the specification). */
export const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
export type ElementReference = { readonly [ELEMENT]: string }

export async function openWebDriver(baseUrl: string, capabilities: object): Promise<WebDriver> {
  const body = { capabilities: { alwaysMatch: capabilities } }
  const session = await call<{ sessionId: string; capabilities: WebDriver['capabilities'] }>(
    'POST',
    `${baseUrl}/session`,
    body,
  )
  const root = `${baseUrl}/session/${session.sessionId}`
  return {
    capabilities: session.capabilities,
    post: (path, given = {}) => call('POST', `${root}/${path}`, given),
    get: (path) => call('GET', `${root}/${path}`),
    end: () => call('DELETE', root),
  }
}

async function call<Result>(method: string, url: string, body?: object): Promise<Result> {
  const answer = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const { value }: { value: unknown } = await answer.json()
  if (answer.ok) return value as Result
  const { error, message } = value as { readonly error: string; readonly message: string }
  throw new Error(`${method} ${new URL(url).pathname.split('/').slice(3).join('/')}: ${error}: ${message}`)
}
