import type { Discovery } from '../../domain/discovery.ts'
import type { Routes } from '../call.ts'

type Row = 'attestationKeys' | 'deprecation' | 'revokedJti' | 'serverInfo'

const publicFor = (seconds: number) => ({ 'Cache-Control': `public, max-age=${seconds}` })

export function discoveryRoutes({ discovery }: { readonly discovery: Discovery }): Pick<Routes, Row> {
  return {
    attestationKeys: async () => ({ status: 200, body: await discovery.attestationKeys(), headers: publicFor(3600) }),
    deprecation: async () => ({ status: 200, body: await discovery.deprecations(), headers: publicFor(300) }),
    revokedJti: async () => ({ status: 200, body: await discovery.revokedJti(), headers: publicFor(60) }),
    serverInfo: async () => ({ status: 200, body: await discovery.serverInfo(), headers: publicFor(300) }),
  }
}
