/**
 * R18: several nodes on one database and one object store, which fails under load: nothing acknowledged is lost, one
 * chain, no key without a row and no kept row without its key, nothing stuck.
 */

import { DATABASE_CAUSES } from '../database/databaseCauses.ts'
import type { Cause } from '../harness/disturb.ts'
import { type DisturbedReport, type DisturbedRun, runDisturbed } from '../harness/disturbed.ts'
import { STORE_CAUSES } from '../store/storeCauses.ts'
import { type Cluster, type ClusterOptions, openCluster } from './cluster.ts'
import { NODE_CAUSES } from './nodeCauses.ts'

type Report = DisturbedReport | { readonly missing: string }

interface ClusterRun extends DisturbedRun {
  readonly nodes: number
}

export const runStoreFaults = (options: ClusterRun): Promise<Report> => runOnCluster(options, STORE_CAUSES)

/** Everything at one place, in turn. */
export const runAllFaults = (options: ClusterRun): Promise<Report> =>
  runOnCluster(options, [...NODE_CAUSES, ...DATABASE_CAUSES, ...STORE_CAUSES])

async function runOnCluster(options: ClusterRun, causes: readonly Cause<Cluster>[]): Promise<Report> {
  const settings: ClusterOptions = { count: options.nodes }
  const cluster = await openCluster(settings)
  if ('missing' in cluster) return cluster
  const { server, oracle, countObjects } = cluster
  return runDisturbed(options, { on: { server, oracle, countObjects }, place: cluster, causes })
}
