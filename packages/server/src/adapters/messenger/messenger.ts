/** Sends each kind of message by its own way. */
import type { ChannelKind } from '@blindkeep/protocol/schemas/channels'
import type { Clock } from '../../ports/clock.ts'
import type { Messenger } from '../../ports/messenger.ts'
import { createAllowedAddresses } from './allowedAddresses.ts'
import { createSendMail, type MailSettings } from './mail.ts'
import { ntfyRequest } from './ntfy.ts'
import { createPost, createResolveName, faultInUrl, type ResolveName } from './post.ts'
import { webhookRequest } from './webhook.ts'

export interface MessengerSettings {
  readonly offered: readonly ChannelKind[]
  /** Besides public addresses. Plain http and all ports are allowed there. */
  readonly networks: readonly string[]
  /** Of this server: its origin. */
  readonly serverId: string
  /** Undefined unless mail is offered. */
  readonly mail: MailSettings | undefined
}

interface MessengerPorts {
  readonly clock: Clock
  readonly resolve?: ResolveName
  /** Of a certificate authority; for tests. */
  readonly ca?: string
}

export function createMessenger(
  { clock, resolve = createResolveName(), ca }: MessengerPorts,
  { offered, networks, serverId, mail }: MessengerSettings,
): Messenger {
  const post = createPost({ allowed: createAllowedAddresses(networks), resolve, ca })
  const sendMail = mail && createSendMail(mail)
  const { host } = new URL(serverId)
  return {
    offered,
    faultIn: (target) => (target.kind === 'email' ? undefined : faultInUrl(target.url)),
    async send(target, message, signal) {
      if (!offered.includes(target.kind)) return { fault: 'not_offered' }
      switch (target.kind) {
        case 'webhook':
          return post(webhookRequest(target, message, { now: clock.now(), serverId }), signal)
        case 'ntfy':
          return post(ntfyRequest(target, message, host), signal)
        case 'email':
          return (await sendMail?.(target, message, { host, signal })) ?? { fault: 'not_offered' }
      }
    },
  }
}
