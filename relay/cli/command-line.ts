/** The command line, as flags for the configuration. Values are judged there, so that every source gets the same words. */
import { Command, CommanderError } from 'commander'

export type CommandLine = { kind: 'run'; flags: Record<string, unknown> } | { kind: 'answered'; exitCode: number; out: string; err: string }

const EPILOGUE = `
Environment: HERMES_RELAY_<NAME>, for example HERMES_RELAY_PORT. File: config.json in the data folder.
Secrets belong there, never on the command line:
  HERMES_RELAY_PROVIDER_KEY, HERMES_RELAY_DASHBOARD_USER, HERMES_RELAY_DASHBOARD_PASSWORD, HERMES_RELAY_DASHBOARD_TOKEN
From a clone: npm start -- --port 8800. With --json use "npm start --silent -- --json", else npm itself prints to stdout first.`

const collect = (value: string, earlier: string[] | undefined): string[] => [...(earlier ?? []), value]

export function parseCommandLine(argv: readonly string[], version: string): CommandLine {
  let out = ''
  let err = ''
  const program = new Command('hermes-relay')
    .description('Reach the Hermes agent on your own machine from everything you carry.')
    .version(version, '--version')
    .option('--port <number>', 'port to listen on; remembered in the data folder')
    .option('--lan', 'let other devices in the local network connect')
    .option('--host <address>', 'listen on this address instead (may be repeated)', collect)
    .option('--data-dir <folder>', 'where the relay keeps its data')
    .option('--hermes <where>', 'auto, managed (installs Hermes here and runs it), demo, or the address of a Hermes dashboard')
    .option('--provider <address>', 'let the built-in agent answer, with the model of this OpenAI-compatible server')
    .option('--model <name>', 'which model of it')
    .option('--workspace <folder>', 'the folder in which the built-in agent may read and write files')
    .option('--host-name <name>', 'another name under which the relay may be reached (may be repeated)', collect)
    .option('--json', 'print one line of JSON when ready, nothing else')
    .option('--no-qr', 'print no QR code')
    .option('--log-level <level>', 'silent, error, warn, info or debug')
    .addHelpText('after', EPILOGUE)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => { out += text }, writeErr: (text) => { err += text } })
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'answered', exitCode: error.exitCode === 0 ? 0 : 2, out, err }
  }
  const { qr, hostName, ...flags } = program.opts<Record<string, unknown>>()
  return { kind: 'run', flags: { ...flags, ...(hostName !== undefined && { hostNames: hostName }), ...(qr === false && { noQr: true }) } }
}
