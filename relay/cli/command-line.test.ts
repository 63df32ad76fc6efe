/** Flags arrive under the names of the configuration; help and mistakes are answered. */
import { expect, test } from 'vitest'
import { parseCommandLine } from './command-line.ts'

const parse = (...argv: string[]) => parseCommandLine(argv, '1.2.3')

test('every flag arrives under its key, unset ones are absent', () => {
  expect(parse()).toEqual({ kind: 'run', flags: {} })
  expect(parse('--port', '1', '--lan', '--host', '127.0.0.1', '--host', '::1', '--data-dir', 'x', '--hermes', 'embedded', '--host-name', 'a.b', '--json', '--no-qr', '--log-level', 'info')).toEqual({
    kind: 'run', flags: { port: '1', lan: true, host: ['127.0.0.1', '::1'], dataDir: 'x', hermes: 'embedded', hostNames: ['a.b'], json: true, noQr: true, logLevel: 'info' },
  })
})
test('the agent behind the relay is chosen by flags, its key never', () => {
  expect(parse('--provider', 'http://x/v1', '--model', 'm', '--workspace', 'w')).toEqual({ kind: 'run', flags: { provider: 'http://x/v1', model: 'm', workspace: 'w' } })
  expect(parse('--provider-key', 'sk-x')).toMatchObject({ kind: 'answered', exitCode: 2 })
})
test('help and version go to stdout with 0, a mistake to stderr with 2', () => {
  expect(parse('--version')).toMatchObject({ kind: 'answered', exitCode: 0, out: '1.2.3\n', err: '' })
  const help = parse('--help')
  expect(help).toMatchObject({ kind: 'answered', exitCode: 0, out: expect.stringMatching(/npm start --silent -- --json/) })
  for (const argv of [['--prot', '1'], ['--port'], ['serve']]) expect(parse(...argv)).toMatchObject({ kind: 'answered', exitCode: 2, out: '', err: expect.stringMatching(/^error/) })
})
