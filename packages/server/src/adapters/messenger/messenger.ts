/** Sends each kind of message by its own way. */
import type { ChannelKind } from '@blindkeep/protocol/schemas/channels'
import type { Clock } from '../../ports/clock.ts'
import type { PushSigner } from '../../ports/keyring.ts'
import type { Delivery, Messenger } from '../../ports/messenger.ts'
import { createAllowedAddresses } from './allowedAddresses.ts'
import { createSendMail, type MailSettings } from './mail.ts'
import { ntfyRequest } from './ntfy.ts'
import { createPost, createResolveName, faultInUrl, type ResolveName } from './post.ts'
import { pushRequest } from './push.ts'
import { isPushKey } from './pushEncryption.ts'
import { webhookRequest } from './webhook.ts'

export interface MessengerSettings {
  readonly offered: readonly ChannelKind[]
  /** Besides public addresses. Plain http and all ports are allowed there. */
  readonly networks: readonly string[]
  /** Of this server: its origin. */
  readonly serverId: string
  /** Undefined unless mail is offered. */
  readonly mail: MailSettings | undefined
  /** Whether deliveries have `why`: for receivers of the operator. An owner would learn of the operator's network. */
  readonly saysWhy?: boolean
}

interface MessengerPorts {
  readonly clock: Clock
  readonly pushSigner: PushSigner
  readonly resolve?: ResolveName
  /** Of a certificate authority; for tests. */
  readonly ca?: string
}

export function createMessenger(
  { clock, pushSigner, resolve = createResolveName(), ca }: MessengerPorts,
  { offered, networks, serverId, mail, saysWhy = false }: MessengerSettings,
): Messenger {
  const allowed = createAllowedAddresses(networks)
  const post = createPost({ allowed, resolve, ca })
  const sendMail = mail && createSendMail(mail)
  const { host } = new URL(serverId)

  async function attempt(...[target, message, signal]: Parameters<Messenger['send']>): Promise<Delivery> {
    if (!offered.includes(target.kind)) return { fault: 'not_offered' }
    switch (target.kind) {
      case 'webhook':
        return post(webhookRequest(target, message, { now: clock.now(), serverId }), signal)
      case 'ntfy':
        return post(ntfyRequest(target, message, host), signal)
      case 'email':
        return (await sendMail?.(target, message, { host, signal })) ?? { fault: 'not_offered' }
      case 'push':
        return post(pushRequest(target, message, { now: clock.now(), serverId, signer: pushSigner }), signal)
    }
  }

  return {
    offered,
    pushKey: offered.includes('push') ? pushSigner.publicKey : undefined,
    faultIn(target) {
      if (target.kind === 'email') return undefined
      const isWrong = target.kind === 'push' && !isPushKey(target.p256dh)
      return isWrong ? 'must be of a subscription whose key is a point of P-256' : faultInUrl(target.url, allowed)
    },
    async send(target, message, signal) {
      const delivery = await attempt(target, message, signal)
      return delivery === 'sent' || saysWhy ? delivery : { fault: delivery.fault }
    },
  }
}
