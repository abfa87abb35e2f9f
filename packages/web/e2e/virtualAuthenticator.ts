/** An authenticator that Chromium makes up: a phone or a security key that says yes at once. */
import type { Visit } from './browser.ts'

interface AuthenticatorOptions {
  /** Whether it has the PRF extension. Default true. */
  readonly hasPrf?: boolean
  /** Whether it succeeds in verifying the person. Default true. */
  readonly isUserVerified?: boolean
}

export interface VirtualAuthenticator {
  /** How many passkeys it keeps. */
  count(): Promise<number>
  setUserVerified(isUserVerified: boolean): Promise<void>
  remove(): Promise<void>
}

export async function addAuthenticator(
  { page, context }: Pick<Visit, 'page' | 'context'>,
  { hasPrf = true, isUserVerified = true }: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const devTools = await context.newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      automaticPresenceSimulation: true,
      hasPrf,
      isUserVerified,
    },
  })
  return {
    async count() {
      return (await devTools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
    },
    async setUserVerified(isNowVerified) {
      await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isNowVerified })
    },
    async remove() {
      await devTools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
