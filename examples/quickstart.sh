#!/bin/sh
# Shows Weft at work: builds what it needs, then sends three messages from two senders through the proxy to a receiving server,
# all in one JVM. Exits with 0 only if all three arrived byte for byte. Needs a JDK from 17 on, and Maven from 3.8 on.
set -eu

# CDPATH could make cd print, and go, elsewhere.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
jar=$root/examples/target/weft-proxy.jar

fail() {
    echo "quickstart: $*" >&2
    exit 1
}

command -v mvn >/dev/null 2>&1 || fail "Maven (mvn) is not in the PATH; install Maven 3.8 or later"
java=java
if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
fi
command -v "$java" >/dev/null 2>&1 || fail "there is no $java; install a JDK from 17 on, or let JAVA_HOME name one"

# Only what changed since the last time needs a build.
if [ ! -f "$jar" ] || [ -n "$(find "$root" -path '*/target' -prune -o \
        \( -name pom.xml -o -path '*/src/main/*' \) -type f -newer "$jar" -print)" ]; then
    echo "Building (the first time Maven fetches its plugins) ..."
    said=$(mvn -q -B -f "$root/pom.xml" -pl examples -am package \
        -DskipTests -Dmaven.javadoc.skip=true -Dmaven.source.skip=true </dev/null 2>&1) || {
        printf '%s\n' "$said"
        fail "the build failed, see above; it needs a JDK from 17 on (mvn -version shows which it found)"
    }
fi

colour=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    colour=--colour
fi
"$java" -cp "$jar" dev.weft.examples.Quickstart $colour || exit 1

cat <<'EOF'

Where to go next:
  README.md                                  embed it in ten lines; settings; deployment
  examples/src/main/java/dev/weft/examples   a file for each kind of handler
  java -jar examples/target/weft-proxy.jar --help    the standalone proxy
EOF
