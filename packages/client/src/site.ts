/** What the operator of a server says about itself. */
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { createCalls } from './http/call.ts'
import { AnswerError, NetworkError, ProblemError } from './http/errors.ts'
import { plainLine } from './seal/plainLine.ts'

/** Words of another person, which nothing has checked: say whose they are, and isolate them. */
export interface Site {
  /** One line. */
  readonly name: string | undefined
  readonly imprint: SitePage | undefined
  readonly privacy: SitePage | undefined
}

export interface SitePage {
  /** Begins with `https:`. */
  readonly url: string
  /** Of the URL, in ASCII, so that it does not look like another one. */
  readonly host: string
}

/**
 * Undefined if the operator says nothing, also where the server is older than the question or does not answer: nothing
 * waits for these words.
 */
export async function askSite(
  baseUrl: string,
  { fetch, now }: Pick<Environment, 'fetch' | 'now'> = systemEnvironment,
): Promise<Site | undefined> {
  try {
    const { body } = await createCalls({ baseUrl, fetch, now }).call('site')
    const site = { name: plainLine(body.name), imprint: pageAt(body.imprint_url), privacy: pageAt(body.privacy_url) }
    return (site.name ?? site.imprint ?? site.privacy) === undefined ? undefined : site
  } catch (error) {
    if (error instanceof ProblemError || error instanceof NetworkError || error instanceof AnswerError) return undefined
    throw error
  }
}

function pageAt(text: string | undefined): SitePage | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  const { protocol, username, password, href, host } = new URL(text)
  return protocol === 'https:' && username === '' && password === '' ? { url: href, host } : undefined
}
