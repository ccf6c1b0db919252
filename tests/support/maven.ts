/** A small Maven project, and a repository with what Maven itself needs for it. */
import { missing } from "./toolchains.ts";

/** Has a test that makes a temporary file: Java does not ask TMPDIR where. */
export const MAVEN_PROJECT: Readonly<Record<string, string>> = {
  "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>example</groupId><artifactId>small</artifactId><version>1</version>
<properties>
<maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
</properties>
<dependencies><dependency>
<groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope>
</dependency></dependencies></project>
`,
  "src/main/java/small/A.java": "package small;\nclass A { static int f() { return 42; } }\n",
  "src/test/java/small/ATest.java": `package small;
import org.junit.Test;
import static org.junit.Assert.*;
public class ATest {
  @Test public void f() throws Exception {
    assertEquals(42, A.f());
    assertTrue(java.io.File.createTempFile("small", ".txt").delete());
  }
}
`,
};

/**
 * A repository in which `mvn -o test` finds all it needs: filled once a machine by Maven itself, as its plugins are not part of
 * it. Null if Maven is not there, or cannot get them.
 */
export async function filled_repository(): Promise<string | null> {
  if (missing("mvn", "java") !== null) return null;
  const tmp = Deno.realPathSync(Deno.env.get("TMPDIR") ?? "/tmp");
  const folder = `${tmp}/hamr-test-maven-${Deno.uid()}`;
  if (is_there(`${folder}/filled`)) return `${folder}/repository`;
  const project = Deno.makeTempDirSync();
  try {
    for (const [name, content] of Object.entries(MAVEN_PROJECT)) {
      const path = `${project}/${name}`;
      Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      Deno.writeTextFileSync(path, content);
    }
    const { success } = await new Deno.Command("mvn", {
      args: ["-q", "-B", `-Dmaven.repo.local=${folder}/repository`, "test"],
      cwd: project,
      stdout: "null",
      stderr: "null",
    }).output();
    if (!success) return null;
    Deno.writeTextFileSync(`${folder}/filled`, "");
    return `${folder}/repository`;
  } finally {
    Deno.removeSync(project, { recursive: true });
  }
}

function is_there(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
