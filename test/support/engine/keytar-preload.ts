import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Preloaded (`--import`): takes `keytar` from LONGSHORE_TEST_KEYTAR, where the project has none because it could not be built. */
const path = process.env['LONGSHORE_TEST_KEYTAR'];
if (path) {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'keytar' ? { url: pathToFileURL(path).href, shortCircuit: true, format: 'commonjs' } : next(specifier, context),
  });
}
